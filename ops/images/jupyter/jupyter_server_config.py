# Jupyter's settings in the image jupyter, for Notebook and JupyterLab alike. What differs between the two is in their commands (labels).
# The token comes in JUPYTER_TOKEN, a random one a start; Berth's proxy sends it along and is the guard in front.
c = get_config()  # noqa: F821  # given by Jupyter

c.ServerApp.root_dir = "/home/work"
c.ServerApp.open_browser = False
c.ServerApp.terminado_settings = {"shell_command": ["/bin/bash"]}
# The proxy passes the browser's Host on, which is the app's own and not "localhost". The proxy has checked it.
c.ServerApp.allow_remote_access = True
# Where kernels run as root, that root is nobody outside their container.
c.ServerApp.allow_root = True

# It looks for servers of languages at each start; the image has none.
c.ServerApp.jpserver_extensions = {"jupyter_lsp": False}

# Nothing is fetched from elsewhere, so nobody is asked whether it may be.
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabApp.extension_manager = "readonly"

"""Lint of architecture, sizes, words and documents: lint.py [ROOT]. Prints each problem as file:line: text; exit 1 if there is one.

Run by ctest (label lint) through lint_test.py, which also shows that each rule can fail.
"""

import os
import sys

import rules_checks
import rules_documents
import rules_layers
import rules_mutants
import rules_size
import rules_words
from source import read_tree

RULES = (
    rules_layers.includes_follow_the_layers,
    rules_layers.pure_folders_do_no_io,
    rules_layers.libraries_stay_at_home,
    rules_layers.top_folders_are_known,
    rules_size.files_are_short,
    rules_size.the_median_file_is_short,
    rules_size.functions_are_short,
    rules_size.lines_fit_the_page,
    rules_words.schema_has_no_map_and_no_float,
    rules_words.pure_code_has_no_floating_point,
    rules_words.names_are_written_out,
    rules_words.standard_headers_are_named,
    rules_words.no_path_of_one_machine,
    rules_words.no_host_outside_this_machine,
    rules_words.enums_are_not_compared_as_text,
    rules_words.codes_are_not_compared_as_text,
    rules_words.times_are_the_clusters,
    rules_words.every_test_asserts,
    rules_words.architecture_names_every_rule,
    rules_documents.cited_behaviours_have_rows,
    rules_documents.documents_name_files_that_exist,
    rules_documents.documents_name_types_that_exist,
    rules_documents.decisions_are_listed,
    rules_documents.cited_decisions_exist,
    rules_documents.rooms_are_small,
    rules_checks.ops_check_chooses_by_labels_that_tests_have,
    rules_checks.no_test_stops_all_others,
    rules_checks.a_test_that_sleeps_says_why,
    rules_mutants.mutants_apply,
)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    tree = read_tree(sys.argv[1] if len(sys.argv) > 1 else ROOT)
    count = 0
    for rule in RULES:
        for problem in rule(tree):
            print(f"{problem} [{rule.__name__}]")
            count += 1
    print(f"{len(tree.files)} files, {len(RULES)} rules, {count} problems")
    sys.exit(1 if count else 0)


if __name__ == "__main__":
    main()

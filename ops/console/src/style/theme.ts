import { Button, Checkbox, Input, Modal, createTheme, type MantineColorsTuple } from '@mantine/core'

/** Ten shades as Mantine wants them; the seventh is what filled buttons have, white on it is at least 5 : 1. */
const blue: MantineColorsTuple = [
  '#e8f0fc',
  '#d0e1f9',
  '#a6c6f3',
  '#7db3ff',
  '#558de4',
  '#3574d6',
  '#2767cb',
  '#1d5bbf',
  '#174b9f',
  '#113a7d',
]
const red: MantineColorsTuple = [
  '#fdecea',
  '#fad7d4',
  '#f4aca6',
  '#ff8f87',
  '#e2655c',
  '#d2463c',
  '#c2352b',
  '#b3261e',
  '#931e17',
  '#741610',
]

/** The greys of the dark theme, from text to the page, as tokens.css has them. */
const dark: MantineColorsTuple = [
  '#e3e8ef',
  '#b8c2ce',
  '#9ba7b6',
  '#6b7888',
  '#455261',
  '#2a333f',
  '#1b222b',
  '#161b22',
  '#0f1318',
  '#0a0d11',
]

export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: 7,
  colors: { blue, red, dark },
  fontFamily: 'var(--sans)',
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '18px' },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  components: {
    Button: Button.extend({ defaultProps: { size: 'xs' } }),
    Checkbox: Checkbox.extend({ defaultProps: { size: 'xs' } }),
    Input: Input.extend({ defaultProps: { size: 'xs' } }),
    InputWrapper: Input.Wrapper.extend({ defaultProps: { size: 'xs' } }),
    Modal: Modal.extend({ defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } }),
  },
})

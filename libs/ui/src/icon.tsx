/** Lines of 16 by 16; in the colour of the text around them. */
const PATHS = {
  back: 'M9.5 3.5 5 8l4.5 4.5',
  check: 'M3 8.5 6.5 12 13 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  down: 'M8 3v10M4 9l4 4 4-4',
  expand: 'M4 6l4 4 4-4',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  right: 'M3 8h10M9 4l4 4-4 4',
  search: 'M11 11l3 3M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z',
  edit: 'M3 13h2.5L13 5.5 10.5 3 3 10.5zM9 4.5 11.5 7',
  up: 'M8 13V3M4 7l4-4 4 4',
} as const;

/** A sign that says nothing by itself: what it stands for is said beside it. */
export function Icon({ name }: { readonly name: keyof typeof PATHS }) {
  return (
    <svg
      style={{ verticalAlign: '-0.125em' }}
      width="1em"
      height="1em"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      aria-hidden="true"
    >
      <path d={PATHS[name]} strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}

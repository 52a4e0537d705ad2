/** Grey lines in the shape of what is loading. @param label what screen readers announce */
export function Loading({ label, lines = 6 }: { readonly label: string; readonly lines?: number }) {
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="loading-line" aria-hidden="true" />
      ))}
    </div>
  );
}

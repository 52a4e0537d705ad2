import { type ReactNode, useEffect, useRef } from 'react';

export interface EntryProps {
  readonly title: string;
  /** What is special about it. */
  readonly note?: string | undefined;
  /** What has become of it. It stays where it is until the list is opened again, so that nothing moves. */
  readonly gone?: string | undefined;
  readonly acts?: ReactNode;
  /** What to know about it. */
  readonly children: ReactNode;
}

/** One of a list, with what can be done about it. */
export function Entry({ title, note, gone, acts, children }: EntryProps) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // The button that had the focus has gone with what it was for.
    if (gone !== undefined) item.current?.focus();
  }, [gone]);
  return (
    <li ref={item} tabIndex={-1} className="entry">
      <p>
        <strong>{title}</strong>
        {note === undefined ? null : <span className="note">{note}</span>}
      </p>
      {children}
      <div className="acts">{gone === undefined ? acts : <span className="muted">{gone}</span>}</div>
    </li>
  );
}

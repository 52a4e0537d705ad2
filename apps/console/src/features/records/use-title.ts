import { useEffect } from 'react';

/** The title of the document, by which tabs and screen readers tell pages apart. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined ? 'CRM' : `${title} · CRM`;
  }, [title]);
}

import { useCallback, useState } from 'react';

/** Ids of entries that have been ended since the list was opened. */
export function useGone(): {
  readonly isGone: (id: string) => boolean;
  readonly addGone: (ids: readonly string[]) => void;
} {
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const isGone = useCallback((id: string) => gone.has(id), [gone]);
  const addGone = useCallback((ids: readonly string[]) => setGone((before) => new Set([...before, ...ids])), []);
  return { isGone, addGone };
}

import type { RecordsApi } from '@crm/api-client';
import { createContext, type ReactNode, useContext } from 'react';
import type { ObjectModel } from '../objects/object-model.js';

export interface RecordsContextValue {
  readonly api: RecordsApi;
  /** Every object that the caller can read. */
  readonly objects: readonly ObjectModel[];
}

const RecordsContext = createContext<RecordsContextValue | undefined>(undefined);

export function RecordsProvider({
  value,
  children,
}: {
  readonly value: RecordsContextValue;
  readonly children: ReactNode;
}) {
  return <RecordsContext value={value}>{children}</RecordsContext>;
}

export function useRecords(): RecordsContextValue {
  const value = useContext(RecordsContext);
  if (!value) throw new Error('There is no RecordsProvider around this');
  return value;
}

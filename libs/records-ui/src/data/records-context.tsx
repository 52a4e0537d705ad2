import type { ObjectName, PeopleApi, RecordsApi } from '@crm/api-client';
import { createContext, type ReactNode, useContext } from 'react';
import type { ObjectModel } from '../objects/object-model.js';

export interface RecordsContextValue {
  readonly api: RecordsApi;
  /** Whom records can belong to; undefined where nobody may list the people of the workspace. */
  readonly people?: PeopleApi;
  /** Every object that the caller can read. */
  readonly objects: readonly ObjectModel[];
  /** Shows a record. */
  readonly open: (object: ObjectModel, id: string) => void;
  /** Says that a change of one field is saved, with a way to undo it. */
  readonly onSaved?: (text: string, undo: () => Promise<unknown>) => void;
  /** Its address, where records have one: then links can be opened in a tab of their own. */
  readonly hrefOf?: (object: ObjectModel, id: string) => string;
  /** The address of a list of what a field names, where lists have one. */
  readonly listHrefOf?: (object: ObjectModel, field: string, id: string) => string;
}

const RecordsContext = createContext<RecordsContextValue | undefined>(undefined);

export interface RecordsProviderProps {
  readonly value: RecordsContextValue;
  readonly children: ReactNode;
}

export function RecordsProvider({ value, children }: RecordsProviderProps) {
  return <RecordsContext value={value}>{children}</RecordsContext>;
}

export function useRecords(): RecordsContextValue {
  const value = useContext(RecordsContext);
  if (!value) throw new Error('There is no RecordsProvider around this');
  return value;
}

/** @returns undefined for an object that the caller cannot read */
export const useObject = (name: ObjectName | 'user' | undefined): ObjectModel | undefined =>
  useRecords().objects.find((object) => object.name === name);

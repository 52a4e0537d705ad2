import { catalogue, EmptyNotice, useTexts } from '@crm/ui';
import { Button, Group } from '@mantine/core';
import type { ObjectModel } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import type { ListState } from './list-state.js';

const IMPORT_TEXTS = catalogue({ en: { import: 'Import a CSV file' }, de: { import: 'CSV-Datei importieren' } });

export interface EmptyListProps {
  readonly model: ObjectModel;
  readonly state: ListState;
  readonly onState: (state: ListState) => void;
  readonly onCreate: () => void;
  /** Leads to where records are imported, if there is such a place. */
  readonly onImport?: () => void;
}

/** What is said of a list without records, and what to do about it. */
export default function EmptyList({ model, state, onState, onCreate, onImport }: EmptyListProps) {
  const texts = { ...useTexts(TEXTS), ...useTexts(IMPORT_TEXTS) };
  const { q, filter, ...others } = state;
  if (q || filter) {
    return (
      <EmptyNotice
        title={q ? texts.emptySearch(q) : texts.emptyFilter}
        text={texts.emptySearchText}
        action={
          <Button variant="default" onClick={() => onState(others)}>
            {texts.showAll(model.pluralLabel)}
          </Button>
        }
      />
    );
  }
  return (
    <EmptyNotice
      title={texts.empty(model.pluralLabel)}
      text={texts.emptyText}
      action={
        model.creatable ? (
          <Group gap="xs">
            <Button onClick={onCreate}>{texts.create(model.label)}</Button>
            {onImport ? (
              <Button variant="default" onClick={onImport}>
                {texts.import}
              </Button>
            ) : null}
          </Group>
        ) : null
      }
    />
  );
}

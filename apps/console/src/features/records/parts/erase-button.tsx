import type { CrmRecord } from '@crm/api-client';
import { type ObjectModel, RECORD_TEXTS, titleOf } from '@crm/records-ui';
import { recordKey } from '@crm/records-ui/record';
import { catalogue, useTexts } from '@crm/ui';
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useAdministers } from '../../shell/shell.queries.js';

const EraseDialog = lazy(() => import('./erase-dialog.js'));

const TEXTS = catalogue({
  en: {
    erase: 'Erase …',
    eraseOne: (name: string) => `Erase ${name} …`,
    erased: (name: string, more: number) =>
      more === 0 ? `${name} is erased` : `${name} is erased, with ${more === 1 ? 'another record' : `${more} others`}`,
  },
  de: {
    erase: 'Endgültig löschen …',
    eraseOne: (name) => `${name} endgültig löschen …`,
    erased: (name, more) =>
      more === 0
        ? `${name} ist endgültig gelöscht`
        : `${name} ist endgültig gelöscht, dazu ${more === 1 ? 'ein weiterer Datensatz' : `${more} weitere`}`,
  },
});

export interface EraseButtonProps {
  readonly model: ObjectModel;
  readonly id: string;
  /** The name of a record that the page does not show otherwise. */
  readonly name?: string;
  readonly onErased?: () => void;
}

/** For administrators alone: nobody can bring back what is erased. */
export default function EraseButton({ model, id, onErased, ...given }: EraseButtonProps) {
  const texts = useTexts(TEXTS);
  const { untitled } = useTexts(RECORD_TEXTS);
  // The record if it is loaded; nothing is asked for.
  const { data: shown } = useQuery<CrmRecord>({ queryKey: recordKey(model.name, id), enabled: false });
  const name = given.name ?? (shown && (titleOf(model, shown) || untitled));
  const administers = useAdministers();
  const [isOpen, setOpen] = useState(false);
  if (name === undefined || !model.deletable || !administers) return null;
  // Below a record: its padding stands outside, so that the word is aligned.
  const place = given.name === undefined ? { mt: 'md', ml: -8, w: 'fit-content' } : {};
  const erased = (records: number): void => {
    setOpen(false);
    notifications.show({ message: texts.erased(name, records - 1) });
    onErased?.();
  };
  return (
    <>
      <Button
        variant="subtle"
        color="red"
        size="compact-sm"
        {...place}
        aria-label={texts.eraseOne(name)}
        onClick={() => setOpen(true)}
      >
        {texts.erase}
      </Button>
      {isOpen ? (
        <Suspense>
          <EraseDialog model={model} id={id} name={name} onClose={() => setOpen(false)} onErased={erased} />
        </Suspense>
      ) : null}
    </>
  );
}

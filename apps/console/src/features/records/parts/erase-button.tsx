import type { ObjectModel } from '@crm/records-ui';
import { catalogue, useTexts } from '@crm/ui';
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { lazy, Suspense, useState } from 'react';
import { useApiClient } from '../../../session/api-client-context.js';
import { useCaller } from '../../shell/shell.queries.js';

const EraseDialog = lazy(() => import('./erase-dialog.js'));

const TEXTS = catalogue({
  en: {
    erase: 'Erase …',
    eraseOne: (name: string) => `Erase ${name} …`,
    erased: (name: string) => `${name} is erased`,
  },
  de: {
    erase: 'Endgültig löschen …',
    eraseOne: (name) => `${name} endgültig löschen …`,
    erased: (name) => `${name} ist endgültig gelöscht`,
  },
});

export interface EraseButtonProps {
  readonly model: ObjectModel;
  readonly id: string;
  readonly name: string;
  readonly onErased?: () => void;
}

/** For administrators alone: nobody can bring back what is erased. */
export function EraseButton({ onErased, ...record }: EraseButtonProps) {
  const texts = useTexts(TEXTS);
  const { data: caller } = useCaller(useApiClient());
  const [isOpen, setOpen] = useState(false);
  if (!caller?.roles.some((role) => role === 'owner' || role === 'admin')) return null;
  const erased = (): void => {
    setOpen(false);
    notifications.show({ message: texts.erased(record.name) });
    onErased?.();
  };
  return (
    <>
      <Button
        variant="subtle"
        color="red"
        size="compact-sm"
        aria-label={texts.eraseOne(record.name)}
        onClick={() => setOpen(true)}
      >
        {texts.erase}
      </Button>
      {isOpen ? (
        <Suspense>
          <EraseDialog {...record} onClose={() => setOpen(false)} onErased={erased} />
        </Suspense>
      ) : null}
    </>
  );
}

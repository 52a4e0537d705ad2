import { type ObjectModel, useRecords } from '@crm/records-ui';
import { catalogue, ProblemNotice, useTexts } from '@crm/ui';
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ProofProvider, useProof } from '../../account/proof.js';

const TEXTS = catalogue({
  en: {
    title: (name: string) => `Erase ${name} for good?`,
    text: 'All that this record says is removed: from lists, the bin, deliveries to other systems and runs of workflows, together with records that were merged into it or are deleted with it. Nobody can bring it back, and other systems are told to erase it too.',
    type: (name: string) => `Type “${name}” to confirm`,
    erase: 'Erase for good',
    cancel: 'Cancel',
  },
  de: {
    title: (name) => `${name} endgültig löschen?`,
    text: 'Alles, was dieser Datensatz enthält, wird entfernt: aus Listen, Papierkorb, Zustellungen an andere Systeme und Läufen von Workflows, samt den Datensätzen, die mit ihm zusammengeführt wurden oder mit ihm gelöscht werden. Niemand kann ihn zurückholen, und andere Systeme werden aufgefordert, ihn ebenfalls zu löschen.',
    type: (name) => `Zum Bestätigen „${name}“ eingeben`,
    erase: 'Endgültig löschen',
    cancel: 'Abbrechen',
  },
});

export interface EraseDialogProps {
  readonly model: ObjectModel;
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
  /** @param records how many of those that the caller could read */
  readonly onErased: (records: number) => void;
}

/** Asks for the name of what nobody can bring back, and for a proof of who asks. */
export default function EraseDialog(props: EraseDialogProps) {
  return (
    <ProofProvider>
      <EraseForm {...props} />
    </ProofProvider>
  );
}

function EraseForm({ model, id, name, onClose, onErased }: EraseDialogProps) {
  const texts = useTexts(TEXTS);
  const { api } = useRecords();
  const client = useQueryClient();
  const callProven = useProof();
  const [typed, setTyped] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => callProven(() => api.erase(model.name, id)),
    onSuccess: async (proven) => {
      if (!proven) return;
      onErased(proven.answer);
      await client.invalidateQueries({ queryKey: ['records'] });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (typed.trim() === name.trim()) mutate();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.title(name)}
      closeButtonProps={{ 'aria-label': texts.cancel }}
      centered
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text>{texts.text}</Text>
          <TextInput
            label={texts.type(name)}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
          {error ? <ProblemNotice problem={error} /> : null}
          <Group>
            <Button type="submit" color="red" loading={isPending} disabled={typed.trim() !== name.trim()}>
              {texts.erase}
            </Button>
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

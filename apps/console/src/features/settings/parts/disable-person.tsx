import { BulkApi, type UserView } from '@crm/api-client';
import { RECORD_TEXTS, useRecords } from '@crm/records-ui';
import { ReferencePicker } from '@crm/records-ui/record';
import { LoadingLines, ProblemNotice, useLocale, useTexts } from '@crm/ui';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApiClient } from '../../../session/api-client-context.js';
import { PEOPLE_TEXTS } from '../people.texts.js';
import { countOwned, reassign } from '../reassign.js';

export interface DisablePersonProps {
  /** Who is disabled already is asked for a successor alone. */
  readonly person: UserView;
  readonly onClose: () => void;
}

/** Disables someone and gives their records and open tasks to another one, with what is theirs and how far it is. */
export default function DisablePerson({ person, onClose }: DisablePersonProps) {
  const texts = useTexts(PEOPLE_TEXTS);
  const { cancel } = useTexts(RECORD_TEXTS);
  const { tag } = useLocale();
  const client = useApiClient();
  const queries = useQueryClient();
  const { api, objects } = useRecords();
  const [to, setTo] = useState('');
  const [done, setDone] = useState(0);
  const isActive = person.status !== 'disabled';
  const owned = useQuery({
    queryKey: ['owned', person.id],
    queryFn: () => countOwned(api, objects, person.id),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const all = (owned.data ?? []).reduce((sum, { total }) => sum + total, 0);
  const act = useMutation({
    mutationFn: async (reassigns: boolean) => {
      if (isActive) {
        const params = { path: { id: person.id } };
        await client.PATCH('/api/tenant/users/{id}', { params, body: { status: 'disabled' } });
      }
      setDone(0);
      const progress = (count: number) => setDone((present) => present + count);
      return reassigns ? await reassign(api, new BulkApi(api), owned.data ?? [], person.id, to, progress) : 0;
    },
    onSuccess: (refused, reassigns) => {
      if (refused > 0) return owned.refetch();
      notifications.show({ message: texts.done(person.name, reassigns ? all : 0) });
      return onClose();
    },
    onSettled: () => Promise.all(['people', 'records'].map((name) => queries.invalidateQueries({ queryKey: [name] }))),
  });
  const canReassign = all > 0 && to !== '' && to !== person.id;
  return (
    <Modal
      opened
      // What is under way is not left behind unseen.
      onClose={act.isPending ? () => undefined : onClose}
      title={isActive ? texts.disableTitle(person.name) : texts.reassignTitle(person.name)}
      closeButtonProps={{ 'aria-label': cancel }}
    >
      <Stack gap="md">
        {isActive ? <Text>{texts.disableText}</Text> : null}
        <div>
          <Text fw={500}>{texts.has}</Text>
          {owned.isPending ? <LoadingLines label={texts.has} lines={3} /> : null}
          {owned.error ? <ProblemNotice problem={owned.error} onRetry={owned.refetch} /> : null}
          {owned.data && all === 0 ? <Text c="dimmed">{texts.nothing}</Text> : null}
          <ul className="words">
            {owned.data?.map(({ object, field, total }) => (
              <li key={object.apiName + field.apiName}>
                {texts.count(object.pluralLabel, field.label, total.toLocaleString(tag))}
              </li>
            ))}
          </ul>
        </div>
        {all > 0 ? <ReferencePicker targets={['user']} label={texts.to} value={to} onChange={setTo} /> : null}
        {act.isPending || act.data ? (
          <Text role="status" size="sm">
            {texts.progress(done, Math.max(all, done))}
          </Text>
        ) : null}
        {act.data ? <Text c="var(--mantine-color-error)">{texts.refused(act.data)}</Text> : null}
        {act.error ? <ProblemNotice problem={act.error} /> : null}
        <Group gap="xs">
          {all > 0 ? (
            <Button
              loading={act.isPending && act.variables}
              disabled={!canReassign || act.isPending}
              onClick={() => act.mutate(true)}
            >
              {isActive ? texts.disableAndReassign : texts.reassign}
            </Button>
          ) : null}
          {isActive ? (
            <Button
              variant={all > 0 ? 'default' : 'filled'}
              disabled={owned.isPending || act.isPending}
              onClick={() => act.mutate(false)}
            >
              {all > 0 ? texts.disableOnly : texts.disable}
            </Button>
          ) : null}
          <Button variant="default" disabled={act.isPending} onClick={onClose}>
            {cancel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

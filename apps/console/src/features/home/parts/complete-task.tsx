import type { CrmRecord } from '@crm/api-client';
import { useUpdate } from '@crm/records-ui';
import { ProblemNotice, useTexts } from '@crm/ui';
import { Button, Checkbox, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { HOME_TEXTS } from '../home.texts.js';

/** Completes a task where it stands; what was a mistake is undone at once. */
export function CompleteTask({ task, title }: { readonly task: CrmRecord; readonly title: string }) {
  const texts = useTexts(HOME_TEXTS);
  const { mutate, isPending, isSuccess } = useUpdate('tasks');
  const { mutateAsync: reopen } = useUpdate('tasks');
  const complain = (problem: unknown): void => {
    notifications.show({ message: <ProblemNotice problem={problem} />, autoClose: false });
  };
  const complete = (): void => {
    const id = `completed-${task.id}`;
    const undo = (): void => {
      notifications.hide(id);
      // The task has left the list, and this with it, so that nobody waits for the mutation but the promise.
      reopen({ id: task.id, fields: { status: 'open' } }).catch(complain);
    };
    const message = (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{texts.completed(title)}</Text>
        <Button size="compact-sm" variant="default" onClick={undo}>
          {texts.undo}
        </Button>
      </Group>
    );
    const onError = (problem: unknown): void => {
      notifications.hide(id);
      complain(problem);
    };
    mutate({ id: task.id, fields: { status: 'completed' } }, { onError });
    notifications.show({ id, message, withCloseButton: false, autoClose: 8000 });
  };
  return (
    <Checkbox
      aria-label={texts.complete(title)}
      checked={isPending || isSuccess}
      disabled={isPending}
      onChange={complete}
    />
  );
}

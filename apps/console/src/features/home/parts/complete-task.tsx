import type { CrmRecord } from '@crm/api-client';
import { useUpdate } from '@crm/records-ui';
import { useTexts } from '@crm/ui';
import { Checkbox } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { showProblem, showUndo } from '../../shell/parts/undo.js';
import { HOME_TEXTS } from '../home.texts.js';

/** Completes a task where it stands; what was a mistake is undone at once. */
export function CompleteTask({ task, title }: { readonly task: CrmRecord; readonly title: string }) {
  const texts = useTexts(HOME_TEXTS);
  const { mutate, isPending, isSuccess } = useUpdate('tasks');
  const { mutateAsync: reopen } = useUpdate('tasks');
  const complete = (): void => {
    const id = `completed-${task.id}`;
    const onError = (problem: unknown): void => {
      notifications.hide(id);
      showProblem(problem);
    };
    mutate({ id: task.id, fields: { status: 'completed' } }, { onError });
    showUndo({
      id,
      text: texts.completed(title),
      undo: () => reopen({ id: task.id, fields: { status: 'open' } }),
    });
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

import { catalogue, ProblemNotice, useTexts } from '@crm/ui';
import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';

const TEXTS = catalogue({ en: { undo: 'Undo' }, de: { undo: 'Rückgängig' } });

const SHOWN_MS = 8000;

/** Says why something failed, until somebody has read it. */
export function complain(problem: unknown): void {
  notifications.show({ message: <ProblemNotice problem={problem} />, autoClose: false });
}

interface Undoable {
  readonly id: string;
  /** What was done. */
  readonly text: string;
  /** Whoever shows it may be gone by then, so that only the promise tells how it ended. */
  readonly undo: () => Promise<unknown>;
}

/** Says what was done, with a button that undoes it. */
export function showUndo({ id, text, undo }: Undoable): void {
  const onUndo = (): void => {
    notifications.hide(id);
    undo().catch(complain);
  };
  const message = <UndoMessage text={text} onUndo={onUndo} />;
  notifications.show({ id, message, withCloseButton: false, autoClose: SHOWN_MS });
}

function UndoMessage({ text, onUndo }: { readonly text: string; readonly onUndo: () => void }) {
  const texts = useTexts(TEXTS);
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">{text}</Text>
      <Button size="compact-sm" variant="default" onClick={onUndo}>
        {texts.undo}
      </Button>
    </Group>
  );
}

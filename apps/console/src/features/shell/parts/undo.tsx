import { catalogue, ProblemNotice, useTexts, type Words } from '@crm/ui';
import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';

const TEXTS = catalogue({
  en: {
    undo: 'Undo',
    problems: { VERSION_MISMATCH: 'Somebody has changed this since, so it was not undone.' },
  },
  de: {
    undo: 'Rückgängig',
    problems: { VERSION_MISMATCH: 'Jemand hat dies inzwischen geändert. Es wurde nicht rückgängig gemacht.' },
  },
});

const SHOWN_MS = 8000;

/** Says why something failed, until someone has read it. */
export function showProblem(problem: unknown, words?: Words): void {
  notifications.show({ message: <ProblemNotice problem={problem} words={words} />, autoClose: false });
}

interface Undoable {
  readonly id: string;
  /** What was done. */
  readonly text: string;
  /** Anyone who shows it may be gone by then, so that only the promise tells how it ended. */
  readonly undo: () => Promise<unknown>;
}

/** Says what was done, with a button that undoes it. */
export function showUndo(done: Undoable): void {
  const message = <UndoMessage {...done} />;
  notifications.show({ id: done.id, message, withCloseButton: false, autoClose: SHOWN_MS });
}

function UndoMessage({ id, text, undo }: Undoable) {
  const texts = useTexts(TEXTS);
  const onUndo = (): void => {
    notifications.hide(id);
    undo().catch((problem) => showProblem(problem, texts.problems));
  };
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">{text}</Text>
      <Button size="compact-sm" variant="default" onClick={onUndo}>
        {texts.undo}
      </Button>
    </Group>
  );
}

import { useTexts } from '@crm/ui';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { PAGE_TEXTS } from './parts.texts.js';
import { ProblemText, type Words } from './problem-text.js';

export interface QuestionProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A question that has to be answered first. */
export function Question({ title, onClose, children }: QuestionProps) {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    },
    [before],
  );
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      withCloseButton={false}
      // It goes as a whole, and the focus back to where it was.
      returnFocus={false}
      transitionProps={{ duration: 0 }}
    >
      <Stack gap="sm">{children}</Stack>
    </Modal>
  );
}

export interface ConfirmProps {
  readonly title: string;
  /** What follows from it. */
  readonly text: string;
  /** What the button says: the act itself, never "yes". */
  readonly act: string;
  readonly words?: Words;
  readonly onAct: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. */
export function Confirm({ title, text, act, words, onAct, onClose }: ConfirmProps) {
  const { cancel } = useTexts(PAGE_TEXTS);
  const action = useMutation({ mutationFn: onAct });
  return (
    <Question title={title} onClose={onClose}>
      <Text>{text}</Text>
      {action.error ? <ProblemText problem={action.error} words={words} /> : null}
      <Group justify="end">
        {/* First, so that whoever presses a key too often has changed nothing. */}
        <Button variant="default" onClick={onClose}>
          {cancel}
        </Button>
        <Button onClick={() => action.mutate()} loading={action.isPending}>
          {act}
        </Button>
      </Group>
    </Question>
  );
}

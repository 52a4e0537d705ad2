import { Button, type ButtonProps, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Form, type Values } from './form.js';
import type { Words } from './problem-notice.js';

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
  readonly text?: string;
  /** What the button says: the act itself, never "yes". */
  readonly act: string;
  readonly words?: Words;
  readonly onAct: (values: Values) => Promise<unknown>;
  readonly onClose: () => void;
  /** Fields. */
  readonly children?: ReactNode;
}

/** Asks before something that cannot be undone, or for what an act needs. */
export function Confirm({ title, text, act, words, onAct, onClose, children }: ConfirmProps) {
  const action = useMutation({ mutationFn: onAct });
  return (
    <Question title={title} onClose={onClose}>
      {text ? <Text>{text}</Text> : null}
      <Form action={action} submit={act} words={words} onCancel={onClose}>
        {children}
      </Form>
    </Question>
  );
}

export interface ActProps extends Omit<ConfirmProps, 'onClose'> {
  /** Name of what it is done to. */
  readonly of?: string;
  /** What the button in the question says, if not the same. */
  readonly confirm?: string;
  /** There is nothing more to do. The button may have the focus, so that it stays. */
  readonly isOver?: boolean;
  readonly button?: ButtonProps;
}

/** A button that asks before it acts. The question stays when `onAct` answers false: it was not done after all. */
export function Act({ act, of, confirm = act, isOver = false, button, onAct, ...question }: ActProps) {
  const [isAsking, { open, close }] = useDisclosure();
  return (
    <>
      <Button
        variant="default"
        {...button}
        onClick={isOver ? undefined : open}
        aria-disabled={isOver}
        data-disabled={isOver || undefined}
        aria-label={of === undefined ? undefined : `${act}: ${of}`}
      >
        {act}
      </Button>
      {isAsking ? (
        <Confirm
          {...question}
          act={confirm}
          onAct={async (values) => {
            if ((await onAct(values)) !== false) close();
          }}
          onClose={close}
        />
      ) : null}
    </>
  );
}

import { Button, useTexts } from '@crm/ui';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useAction } from '../use-action.js';
import { PAGE_TEXTS } from './parts.texts.js';
import { ProblemText, type Words } from './problem-text.js';

export interface DialogProps {
  readonly title: string;
  /** Escape, and whatever else browsers close dialogs by. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A question that has to be answered first. The browser keeps the focus in it; it goes back to where it was afterwards. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    const opened = dialog.current;
    opened?.showModal();
    return () => {
      opened?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
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
  const action = useAction(onAct);
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      {action.problem ? <ProblemText problem={action.problem} words={words} /> : null}
      <div className="choices">
        {/* First, so that whoever presses a key too often has changed nothing. */}
        <Button onClick={onClose}>{cancel}</Button>
        <Button look="primary" onClick={action.run} aria-busy={action.isBusy}>
          {act}
        </Button>
      </div>
    </Dialog>
  );
}

/** Copies a text, and says whether the browser let it. */
export function CopyButton({ text }: { readonly text: string }) {
  const texts = useTexts(PAGE_TEXTS);
  const [outcome, setOutcome] = useState<string>();
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setOutcome(texts.copied),
      // A browser may refuse it; the text can still be marked and copied.
      () => setOutcome(texts.notCopied),
    );
  };
  return (
    <>
      <Button onClick={copy}>{texts.copy}</Button>
      <p role="status" className="outcome muted">
        {outcome}
      </p>
    </>
  );
}

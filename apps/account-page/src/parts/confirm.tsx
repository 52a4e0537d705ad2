import { Button, useTexts } from '@crm/ui';
import { ProblemText, type Words } from '../problems/problem-text.js';
import { useAction } from '../use-action.js';
import { Dialog } from './dialog.js';
import { PAGE_TEXTS } from './parts.texts.js';

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

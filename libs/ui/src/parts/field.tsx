import { type ReactNode, useId } from 'react';

/** What an input needs so that assistive technology connects it with its label, hint and problem. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
  readonly required?: boolean;
}

export interface FieldProps {
  readonly label: string;
  readonly required?: boolean;
  readonly requiredText: string;
  /** What to know before filling it in. */
  readonly hint?: string;
  readonly problem?: string;
  readonly children: (control: ControlProps) => ReactNode;
}

/** A labelled input with its hint and its problem below it. */
export function Field({ label, required, requiredText, hint, problem, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const problemId = `${id}-problem`;
  const described = [hint && hintId, problem && problemId].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {required ? <span className="field-required"> ({requiredText})</span> : null}
      </label>
      {children({
        id,
        ...(required ? { required } : {}),
        ...(described ? { 'aria-describedby': described } : {}),
        ...(problem ? { 'aria-invalid': true as const } : {}),
      })}
      {hint ? (
        <p className="field-hint" id={hintId}>
          {hint}
        </p>
      ) : null}
      {problem ? (
        <p className="field-problem" id={problemId}>
          {problem}
        </p>
      ) : null}
    </div>
  );
}

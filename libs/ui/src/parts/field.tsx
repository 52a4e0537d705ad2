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
  readonly problem?: string;
  readonly children: (control: ControlProps) => ReactNode;
}

/** A labelled input with its problem below it. */
export function Field({ label, required, requiredText, problem, children }: FieldProps) {
  const id = useId();
  const problemId = `${id}-problem`;
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {required ? <span className="field-required"> ({requiredText})</span> : null}
      </label>
      {children({
        id,
        ...(required ? { required } : {}),
        ...(problem ? { 'aria-describedby': problemId, 'aria-invalid': true as const } : {}),
      })}
      {problem ? (
        <p className="field-problem" id={problemId}>
          {problem}
        </p>
      ) : null}
    </div>
  );
}

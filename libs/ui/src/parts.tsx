import { type ButtonHTMLAttributes, type ReactNode, useId } from 'react';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'primary' | 'plain' | 'quiet' | 'link';
}

export function Button({ look = 'plain', className = '', type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={`button button-${look} ${className}`.trim()} {...rest} />;
}

/** Grey lines in the shape of what is loading. @param label what screen readers announce */
export function Loading({ label, lines = 6 }: { readonly label: string; readonly lines?: number }) {
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="loading-line" aria-hidden="true" />
      ))}
    </div>
  );
}

export interface NoticeProps {
  readonly kind: 'error' | 'info';
  readonly title: string;
  readonly children?: ReactNode;
  /** What can be done about it. */
  readonly action?: ReactNode;
}

/** What went wrong or is empty, in words, in the place of what would be there. Announced when it appears. */
export function Notice({ kind, title, children, action }: NoticeProps) {
  return (
    <div className={`notice notice-${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      <p className="notice-title">{title}</p>
      {children ? <div className="notice-text">{children}</div> : null}
      {action ? <div className="notice-action">{action}</div> : null}
    </div>
  );
}

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

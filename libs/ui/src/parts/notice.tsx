import type { ReactNode } from 'react';

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

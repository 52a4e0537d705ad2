import { Anchor } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { useRecords } from '../data/records-context.js';
import type { ObjectModel } from '../objects/object-model.js';

export interface RecordLinkProps {
  readonly model: ObjectModel;
  readonly id: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Leads to a record: a real link where records have addresses, so that it can be opened in a tab of its own. */
export function RecordLink({ model, id, className, children }: RecordLinkProps) {
  const { open, hrefOf } = useRecords();
  const href = hrefOf?.(model, id);
  if (href === undefined) {
    return (
      <Anchor component="button" type="button" inherit className={className} onClick={() => open(model, id)}>
        {children}
      </Anchor>
    );
  }
  const onClick = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open(model, id);
  };
  return (
    // A plain element: a component of the kit would cost more than the rest of the row while a list scrolls.
    <a href={href} className={`records-link mantine-focus-auto ${className ?? ''}`} onClick={onClick}>
      {children}
    </a>
  );
}

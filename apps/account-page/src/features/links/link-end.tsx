import { useTexts } from '@crm/ui';
import type { ReactNode } from 'react';
import { Page } from '../../parts/page.js';
import { LINK_TEXTS } from './links.texts.js';

/** The page was opened without what the link carries. */
export function NoToken() {
  const texts = useTexts(LINK_TEXTS);
  return (
    <Page title={texts.noToken}>
      <p>{texts.noTokenText}</p>
    </Page>
  );
}

export interface LinkEndProps {
  readonly title: string;
  readonly text: string;
  readonly children?: ReactNode;
}

/** What became of a link. */
export function LinkEnd({ title, text, children }: LinkEndProps) {
  return (
    <Page title={title}>
      <p role="status">{text}</p>
      {children}
    </Page>
  );
}

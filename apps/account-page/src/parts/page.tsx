import { useTexts } from '@crm/ui';
import { type ReactNode, useEffect, useRef } from 'react';
import { PAGE_TEXTS } from './parts.texts.js';

export interface PageProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** Where the title changes while the page is open, the focus goes there: what had it is gone, and the new step is read out. */
let shown: string | undefined;

/** One step: its heading, and below it what there is to do. */
export function Page({ title, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { product } = useTexts(PAGE_TEXTS);
  useEffect(() => {
    document.title = `${title} – ${product}`;
    if (shown !== undefined && shown !== title) heading.current?.focus();
    shown = title;
  }, [title, product]);
  return (
    <main className="card">
      <p className="product">{product}</p>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </main>
  );
}

export function NoSuchView() {
  const texts = useTexts(PAGE_TEXTS);
  return (
    <Page title={texts.noView}>
      <p>{texts.noViewText}</p>
      <SignInLink />
    </Page>
  );
}

/** Loads the page again, so that nothing of this view is left. */
export function SignInLink() {
  const texts = useTexts(PAGE_TEXTS);
  return (
    <p>
      <a href="/account/sign-in">{texts.signIn}</a>
    </p>
  );
}

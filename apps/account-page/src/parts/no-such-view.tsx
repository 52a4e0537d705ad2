import { useTexts } from '@crm/ui';
import { Page } from './page.js';
import { PAGE_TEXTS } from './parts.texts.js';

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

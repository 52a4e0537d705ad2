import { useTexts } from '@crm/ui';
import { Page } from '../../parts/page.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

/** The end of a step-up at an identity provider, which another page has begun in this window. */
export function ProofNoted() {
  const texts = useTexts(SIGN_IN_TEXTS);
  return (
    <Page title={texts.proven}>
      <p>{texts.provenText}</p>
    </Page>
  );
}

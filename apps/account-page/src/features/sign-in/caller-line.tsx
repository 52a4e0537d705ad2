import { Button, useTexts } from '@crm/ui';
import type { Caller } from '../../api/account-api.js';
import { useSession } from '../../session.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

/** Who is signed in: what follows is done by them, and that may be the wrong account. */
export function CallerLine({ caller }: { readonly caller: Caller | undefined }) {
  const texts = useTexts(SIGN_IN_TEXTS);
  const { end } = useSession();
  return (
    <div>
      <p>{caller ? texts.signedInAs(caller.email) : '\u00a0'}</p>
      <Button look="link" onClick={end}>
        {texts.otherAccount}
      </Button>
    </div>
  );
}

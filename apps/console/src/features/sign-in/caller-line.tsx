import { useTexts } from '@crm/ui';
import { Anchor, Text } from '@mantine/core';
import { useApiClient } from '../../session/api-client-context.js';
import { useSession } from '../../session/session-context.js';
import { useCaller } from '../shell/shell.queries.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

/** Who is signed in: what follows is done by them, and that may be the wrong account. */
export function CallerLine() {
  const texts = useTexts(SIGN_IN_TEXTS);
  const session = useSession();
  const { data: caller } = useCaller(useApiClient());
  return (
    <div>
      <Text>{caller ? texts.signedInAs(caller.email ?? caller.name) : '\u00a0'}</Text>
      <Anchor component="button" type="button" onClick={() => void session.end()}>
        {texts.otherAccount}
      </Anchor>
    </div>
  );
}

import { Button, useTexts } from '@crm/ui';
import { useEffect, useState } from 'react';
import { accountApi, type Provider } from '../../api/account-api.js';
import { ProblemText } from '../../problems/problem-text.js';
import { keepReturn } from '../../return-place.js';
import { useSession } from '../../session.js';
import { useAction } from '../../use-action.js';
import { isMissing } from './passkey-button.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

/** As much as is needed to ask: an address with a domain. */
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Somebody is typing until nothing has changed for as long. */
const TYPING_MS = 400;

/** Buttons for the identity providers of the workspace that an address belongs to. */
export function ProviderButtons({ email }: { readonly email: string }) {
  const texts = useTexts(SIGN_IN_TEXTS);
  const { needsProof } = useSession();
  const providers = useProviders(email);
  const action = useAction(async (id: string) => {
    const { redirectTo } = await accountApi.startAtProvider(id, needsProof);
    keepReturn(window);
    location.assign(httpAddress(redirectTo));
  });
  if (providers.length === 0) return null;
  return (
    <div className="stack">
      {providers.map(({ id, name }) => (
        <Button key={id} onClick={() => action.run(id)} disabled={action.isBusy}>
          {texts.withProvider(name)}
        </Button>
      ))}
      {action.problem ? <ProblemText problem={action.problem} /> : null}
    </div>
  );
}

function useProviders(email: string): readonly Provider[] {
  const [found, setFound] = useState<{ readonly email: string; readonly providers: readonly Provider[] }>();
  const [isInUse, setIsInUse] = useState(true);
  useEffect(() => {
    if (!isInUse || !ADDRESS.test(email)) return;
    let isWanted = true;
    const timer = setTimeout(() => {
      accountApi.providersFor(email).then(
        ({ providers }) => {
          if (isWanted) setFound({ email, providers });
        },
        (problem: unknown) => {
          // Whoever has a password signs in with it; what keeps the call from being answered, that one says too.
          if (isMissing(problem)) setIsInUse(false);
          else reportError(problem);
        },
      );
    }, TYPING_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [email, isInUse]);
  return found?.email === email ? found.providers : [];
}

/** @throws Error for an address that is no page, such as `javascript:` */
function httpAddress(text: string): string {
  const { protocol, href } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error('An identity provider has no such address');
  return href;
}

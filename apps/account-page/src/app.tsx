import { Loading, useTexts } from '@crm/ui';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Consent } from './consent/consent.js';
import { ConfirmLink } from './links/confirm-link.js';
import { SetPassword } from './links/set-password.js';
import { VerifyEmail } from './links/verify-email.js';
import { NoSuchView, Page } from './parts/page.js';
import { PAGE_TEXTS } from './parts/parts.texts.js';
import { isHandedOver, type Place, takePlace } from './place.js';
import { Account, ProofNoted } from './sign-in/account.js';
import { ForgotPassword } from './sign-in/forgot-password.js';
import { ReturnFromProvider } from './sign-in/return-from-provider.js';

/** Most visits are for a sign-in alone. */
const Security = lazy(() => import('./security/security.js'));

/** The view of the address. There is no router: nearly every visit begins with a link from elsewhere and sees one view. */
export function App({ start }: { readonly start: Place }) {
  const [{ place, visit }, setVisit] = useState({ place: start, visit: 0 });
  const goTo = (next: Place): void => setVisit((previous) => ({ place: next, visit: previous.visit + 1 }));

  // A link of another mail that is opened in the same tab changes nothing of the address but what is behind `#`.
  useEffect(() => {
    const onHashChange = (): void => {
      const next = takePlace(window);
      if (isHandedOver(next)) goTo(next);
    };
    addEventListener('hashchange', onHashChange);
    return () => removeEventListener('hashchange', onHashChange);
  });
  return <View key={visit} place={place} goTo={goTo} />;
}

function View({ place, goTo }: { readonly place: Place; readonly goTo: (place: Place) => void }) {
  switch (place.path) {
    case '/account':
    case '/account/sign-in':
      return <Account goTo={goTo} />;
    case '/account/security':
      return (
        <Suspense fallback={<Waiting />}>
          <Security />
        </Suspense>
      );
    case '/account/signed-in':
      return place.proof === 'noted' ? (
        <ProofNoted />
      ) : (
        <ReturnFromProvider code={place.code} failure={place.reason ?? place.error} goTo={goTo} />
      );
    case '/account/forgot-password':
      return <ForgotPassword />;
    case '/account/authorize':
      return <Consent request={place.request} />;
    case '/verify-email':
      return <VerifyEmail token={place.token} />;
    case '/password-reset':
      return <SetPassword kind="password-reset" token={place.token} />;
    case '/invitation':
      return <SetPassword kind="invitation" token={place.token} />;
    case '/email-change':
      return <ConfirmLink kind="email-change" token={place.token} />;
    case '/email-change/undo':
      return <ConfirmLink kind="email-change-undo" token={place.token} />;
    case '/undo-link':
      return <ConfirmLink kind="undo-link" token={place.token} />;
    default:
      return <NoSuchView />;
  }
}

function Waiting() {
  const { working } = useTexts(PAGE_TEXTS);
  return (
    <Page title={working}>
      <Loading label={working} />
    </Page>
  );
}

import { useTexts } from '@crm/ui';
import { Modal } from '@mantine/core';
import { useEffect, useState } from 'react';
import { SignIn } from './sign-in.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

const stayOpen = (): void => undefined;

/** Covers a page whose session has ended by itself, with everything that is typed in it, until someone has signed in. */
export default function SignInAgain() {
  const texts = useTexts(SIGN_IN_TEXTS);
  const [title] = useState(() => document.title);
  useEffect(
    () => () => {
      document.title = title;
    },
    [title],
  );
  return (
    <Modal
      opened
      fullScreen
      withCloseButton={false}
      closeOnEscape={false}
      onClose={stayOpen}
      attributes={{ content: { 'aria-label': texts.title } }}
      zIndex="var(--mantine-z-index-max)"
      transitionProps={{ duration: 0 }}
    >
      <SignIn lead={texts.stillThere} staysOpen />
    </Modal>
  );
}

import { Anchor, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTexts } from './locale.js';
import { PAGE_TEXTS } from './page.texts.js';

export interface PageProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** Where the title changes while the page is open, the focus goes there: what had it is gone, and the new step is read out. */
let shown: string | undefined;

/** One step: its heading, and below it what there is to do. It grows downwards only, so that nothing moves above. */
export function Page({ title, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { product } = useTexts(PAGE_TEXTS);
  useEffect(() => {
    document.title = `${title} – ${product}`;
    if (shown !== undefined && shown !== title) heading.current?.focus();
    shown = title;
  }, [title, product]);
  return (
    <Paper withBorder p="lg" w="100%" maw={460} mx="auto">
      <Stack gap="md">
        <Title order={1} size="h3" ref={heading} tabIndex={-1} className="step">
          {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  );
}

export function AddressNotFound() {
  const texts = useTexts(PAGE_TEXTS);
  return (
    <Page title={texts.addressNotFound}>
      <Text>{texts.addressNotFoundText}</Text>
      <SignInLink />
    </Page>
  );
}

/** Loads the page again, so that nothing of this view is left. */
export function SignInLink() {
  return <Anchor href="/account/sign-in">{useTexts(PAGE_TEXTS).signIn}</Anchor>;
}

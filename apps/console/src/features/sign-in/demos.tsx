import { catalogue, useTexts } from '@crm/ui';
import { Anchor, Group, Text } from '@mantine/core';

const TEXTS = catalogue({
  en: { lead: 'Development only. Fill in as:' },
  de: { lead: 'Nur in der Entwicklung. Ausfüllen als:' },
});

/** Accounts that a platform in development begins with; README.md names them and their password. */
const EMAILS = ['admin@globex.test', 'member@globex.test', 'dev@acme.test', 'admin@initech.test'];
const PASSWORD = 'correct-horse-battery-staple';

/** Never on a platform that is not a developer's own: the server says in the document which it is. */
const isDevelopment = (): boolean => document.documentElement.dataset.profile === 'development';

export function Demos({ onChoose }: { readonly onChoose: (email: string, password: string) => void }) {
  const texts = useTexts(TEXTS);
  if (!isDevelopment()) return null;
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed">
        {texts.lead}
      </Text>
      {EMAILS.map((email) => (
        <Anchor key={email} component="button" type="button" size="sm" onClick={() => onChoose(email, PASSWORD)}>
          {email}
        </Anchor>
      ))}
    </Group>
  );
}

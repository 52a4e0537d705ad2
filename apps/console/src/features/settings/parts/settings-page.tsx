import { useTexts } from '@crm/ui';
import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTitle } from '../../records/use-title.js';
import { SHELL_TEXTS } from '../../shell/shell.texts.js';

export interface SettingsPageProps {
  readonly name: 'workspace' | 'picklists' | 'people';
  readonly lead: string;
  readonly children: ReactNode;
}

/** What belongs to the workspace: everybody of it sees this. */
export function SettingsPage({ name, lead, children }: SettingsPageProps) {
  const { [name]: title } = useTexts(SHELL_TEXTS);
  useTitle(title);
  return (
    <Stack maw={720} gap="md">
      <Title order={1} size="h3">
        {title}
      </Title>
      <Text c="dimmed">{lead}</Text>
      {children}
    </Stack>
  );
}

import { Icon, LANGUAGES, useTexts } from '@crm/ui';
import { Badge, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLanguageChoice } from '../../language.js';
import { useSession } from '../../session/session-context.js';
import { showProblem } from '../shell/parts/undo.js';
import { SHELL_TEXTS } from '../shell/shell.texts.js';
import type { UserMenuProps } from '../shell/shell-parts.js';
import { useAccountApi } from './account.api.js';
import { useWorkspaceEntry } from './enter-workspace.js';

/** Languages are offered by their own names. */
const LANGUAGE_NAMES = { en: 'English', de: 'Deutsch' } as const;
const LINKS = [
  ['security', '/account/security'],
  ['workspace', '/settings/workspace'],
  ['picklists', '/settings/picklists'],
  ['people', '/settings/people'],
] as const;
const FRESH_MS = 60_000;
/** The others are in the page of workspaces. */
const MOST_SHOWN = 5;
const SCHEMES: readonly MantineColorScheme[] = ['auto', 'light', 'dark'];

/** Open from the beginning: a click has asked for it. */
export default function UserMenu({ caller, onShortcuts, button }: UserMenuProps) {
  const [isOpen, setOpen] = useState(true);
  const texts = useTexts(SHELL_TEXTS);
  const session = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { language, choose } = useLanguageChoice();
  const account = useAccountApi();
  const { enter, question } = useWorkspaceEntry();
  const workspaces = useQuery({ queryKey: ['my-workspaces'], queryFn: account.workspaces, staleTime: FRESH_MS });
  const offers = useQuery({ queryKey: ['my-workspaces', 'offers'], queryFn: account.offers, staleTime: FRESH_MS });
  const others = (workspaces.data?.data ?? []).filter(({ current }) => !current).slice(0, MOST_SHOWN);
  const choice = (isChosen: boolean, label: string, onClick: () => void, lang?: string): ReactNode => (
    <Menu.Item
      key={label}
      lang={lang}
      aria-current={isChosen || undefined}
      closeMenuOnClick={false}
      rightSection={isChosen ? <Icon name="check" /> : undefined}
      onClick={onClick}
    >
      {label}
    </Menu.Item>
  );
  const menu = (
    <Menu
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      shadow="md"
      width={240}
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>{button({})}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{caller?.email}</Menu.Label>
        {others.map((workspace) => (
          <Menu.Item key={workspace.tenantId} onClick={() => enter(workspace)}>
            {texts.switchTo(workspace.name)}
          </Menu.Item>
        ))}
        <Menu.Item
          component="a"
          href="/account/security?topic=workspaces"
          rightSection={offers.data?.data.length ? <Badge size="sm">{offers.data.data.length}</Badge> : undefined}
        >
          {texts.workspaces}
        </Menu.Item>
        {LINKS.map(([name, href]) => (
          <Menu.Item key={name} component="a" href={href}>
            {texts[name]}
          </Menu.Item>
        ))}
        <Menu.Item onClick={onShortcuts} rightSection="?">
          {texts.shortcuts}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{texts.scheme}</Menu.Label>
        {SCHEMES.map((scheme) => choice(scheme === colorScheme, texts.schemes[scheme], () => setColorScheme(scheme)))}
        <Menu.Divider />
        <Menu.Label>{texts.language}</Menu.Label>
        {LANGUAGES.map((name) => choice(name === language, LANGUAGE_NAMES[name], () => choose(name), name))}
        <Menu.Divider />
        <Menu.Item onClick={() => session.end().catch(showProblem)}>{texts.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
  return (
    <>
      {menu}
      {question}
    </>
  );
}

import type { CallerView } from '@crm/api-client';
import { Icon, LANGUAGES, useTexts } from '@crm/ui';
import { type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useLanguageChoice } from '../../../language.js';
import { useSession } from '../../../session/session-context.js';
import { SHELL_TEXTS } from '../shell.texts.js';
import { complain } from './undo.js';

/** Languages are offered by their own names. */
const LANGUAGE_NAMES = { en: 'English', de: 'Deutsch' } as const;
const LINKS = [
  ['security', '/account/security'],
  ['workspace', '/settings/workspace'],
  ['picklists', '/settings/picklists'],
  ['people', '/settings/people'],
] as const;
const SCHEMES: readonly MantineColorScheme[] = ['auto', 'light', 'dark'];

export interface UserMenuProps {
  readonly caller: CallerView | undefined;
  readonly onShortcuts: () => void;
  /** What opens it. */
  readonly button: (props: object) => ReactNode;
}

/** Open from the beginning: a click has asked for it. */
export default function UserMenu({ caller, onShortcuts, button }: UserMenuProps) {
  const [isOpen, setOpen] = useState(true);
  const texts = useTexts(SHELL_TEXTS);
  const session = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { language, choose } = useLanguageChoice();
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
  return (
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
        <Menu.Item onClick={() => session.end().catch(complain)}>{texts.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

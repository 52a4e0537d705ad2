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
  const signOut = (): void => {
    session.end().catch(complain);
  };
  const mark = (isChosen: boolean) => (isChosen ? <Icon name="check" /> : undefined);
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
        <Menu.Item component="a" href="/account/security">
          {texts.security}
        </Menu.Item>
        <Menu.Item component="a" href="/settings/workspace">
          {texts.workspace}
        </Menu.Item>
        <Menu.Item component="a" href="/settings/picklists">
          {texts.picklists}
        </Menu.Item>
        <Menu.Item component="a" href="/settings/people">
          {texts.people}
        </Menu.Item>
        <Menu.Item onClick={onShortcuts} rightSection="?">
          {texts.shortcuts}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{texts.scheme}</Menu.Label>
        {SCHEMES.map((scheme) => (
          <Menu.Item
            key={scheme}
            aria-current={scheme === colorScheme || undefined}
            closeMenuOnClick={false}
            rightSection={mark(scheme === colorScheme)}
            onClick={() => setColorScheme(scheme)}
          >
            {texts.schemes[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>{texts.language}</Menu.Label>
        {LANGUAGES.map((name) => (
          <Menu.Item
            key={name}
            lang={name}
            aria-current={name === language || undefined}
            closeMenuOnClick={false}
            rightSection={mark(name === language)}
            onClick={() => choose(name)}
          >
            {LANGUAGE_NAMES[name]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={signOut}>{texts.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

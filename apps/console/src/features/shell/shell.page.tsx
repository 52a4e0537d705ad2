import { PeopleApi, RecordsApi } from '@crm/api-client';
import { RecordsProvider, useObjects } from '@crm/records-ui';
import { Icon, Loaded, LoadingLines, ProblemNotice, useLocale, useTexts } from '@crm/ui';
import { AppShell, Burger, Button, Group, MantineThemeProvider, NavLink, Text } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { Notifications, notifications } from '@mantine/notifications';
import { Link, Outlet, useNavigate, useParams, useRouter, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useApiClient } from '../../session/api-client-context.js';
import { useStartedSession } from '../../session/session-context.js';
import { SignedIn } from '../../session/signed-in.js';
import { signInPath } from '../../session/way-back.js';
import { showUndo } from './parts/undo.js';
import { useCaller } from './shell.queries.js';
import { SHELL_TEXTS } from './shell.texts.js';
import { ShellPartsContext, type UserMenuProps } from './shell-parts.js';

// What is opened by a click is no part of the first view.
const Search = lazy(() => import('./parts/search.js'));
const Shortcuts = lazy(() => import('./parts/shortcuts.js'));

/** Waits for the session, leads to the sign-in where there is none, and draws anew for another person. What someone has typed stays
 * when their session ends by itself: they sign in above it. */
export default function ShellPage() {
  const texts = useTexts(SHELL_TEXTS);
  const session = useStartedSession();
  const { state, holder, problem } = session;
  const { SignInAgain } = useContext(ShellPartsContext);
  useEffect(() => {
    if (state === 'none') location.assign(signInPath(location));
  }, [state]);
  const notices = useMemo(
    () => ({ components: { Notification: { defaultProps: { closeButtonProps: { 'aria-label': texts.close } } } } }),
    [texts],
  );
  if (state === 'unknown') return <ProblemNotice problem={problem} onRetry={() => session.start()} />;
  if (state !== 'active' && state !== 'ended') return <LoadingLines label={texts.loading} />;
  return (
    <SignedIn key={holder}>
      <Frame />
      <MantineThemeProvider theme={notices}>
        <Notifications position="bottom-right" />
      </MantineThemeProvider>
      <Suspense>{state === 'ended' ? <SignInAgain /> : null}</Suspense>
    </SignedIn>
  );
}

function Frame() {
  const texts = useTexts(SHELL_TEXTS);
  const { language } = useLocale();
  const client = useApiClient();
  const api = useMemo(() => new RecordsApi(client), [client]);
  const { data: caller, isPending } = useCaller(client);
  const query = useObjects(api, language, true);
  const objects = query.data;
  const [isOpen, { toggle, close }] = useDisclosure();
  const [isSearching, { open: search, close: endSearch }] = useDisclosure();
  const [areShortcutsOpen, { open: showShortcuts, close: closeShortcuts }] = useDisclosure();
  const { object } = useParams({ strict: false });
  const create = (): void => {
    if (object !== undefined) void navigate({ to: '/records/$object', params: { object }, search: { new: true } });
  };
  useHotkeys([
    ['/', search],
    ['c', create],
    ['shift+?', showShortcuts],
    ['?', showShortcuts],
  ]);
  const router = useRouter();
  const navigate = useNavigate();
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname });
  const saved = useRef('');
  // A choice closes the navigation of a narrow page.
  useEffect(close, [path, close]);
  const records = useMemo(
    () => ({
      api,
      people: new PeopleApi(client),
      objects: objects ?? [],
      open: ({ apiName }: { apiName: string }, id: string) =>
        void navigate({ to: '/records/$object/$id', params: { object: apiName, id } }),
      // The router would build it from a location, for each row that scrolls into view.
      hrefOf: ({ apiName }: { apiName: string }, id: string) => `/records/${apiName}/${id}`,
      onSaved: (text: string, undo: () => Promise<unknown>) => {
        // The last change alone is undone.
        notifications.hide(saved.current);
        saved.current = crypto.randomUUID();
        showUndo({ id: saved.current, text, undo });
      },
      listHrefOf: ({ apiName }: { apiName: string }, field: string, id: string) => {
        const search = { filter: { and: [{ field, value: id }] } };
        return router.buildLocation({ to: '/records/$object', params: { object: apiName }, search }).href;
      },
    }),
    [api, client, objects, navigate, router],
  );
  return (
    <RecordsProvider value={records}>
      <AppShell
        header={{ height: 52 }}
        navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
        padding="md"
        transitionDuration={0}
      >
        <AppShell.Header>
          <Group h="100%" px="md" gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={texts.menu}
              aria-expanded={isOpen}
            />
            <Text fw={600} truncate>
              {caller?.tenant.name ?? '\u00a0'}
            </Text>
            {/* The name of the caller would move everything when it arrives. */}
            {isPending ? null : (
              <Group ml="auto" wrap="nowrap" gap="xs">
                {isSearching ? (
                  <Suspense fallback={<SearchButton onClick={search} />}>
                    <Search onClose={endSearch} />
                  </Suspense>
                ) : (
                  <SearchButton onClick={search} />
                )}
                <UserButton caller={caller ?? undefined} onShortcuts={showShortcuts} />
              </Group>
            )}
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="xs" aria-label={texts.objects}>
          <NavLink
            label={texts.myDay}
            active={path === '/'}
            renderRoot={(props: object) => <Link to="/" {...props} />}
          />
          {objects?.map(({ apiName, pluralLabel }) => (
            <NavLink
              key={apiName}
              label={pluralLabel}
              active={path.split('/')[2] === apiName}
              renderRoot={(props: object) => <Link to="/records/$object" params={{ object: apiName }} {...props} />}
            />
          ))}
          {objects || query.error ? null : <LoadingLines label={texts.loading} />}
        </AppShell.Navbar>
        <AppShell.Main className="main">
          <Loaded query={query} label={texts.loading}>
            {() => (isPending ? <LoadingLines label={texts.loading} /> : <Outlet />)}
          </Loaded>
        </AppShell.Main>
        <Suspense>{areShortcutsOpen ? <Shortcuts onClose={closeShortcuts} /> : null}</Suspense>
      </AppShell>
    </RecordsProvider>
  );
}

/** Names who is signed in; a click opens the menu. */
function UserButton(props: Omit<UserMenuProps, 'button'>) {
  const { UserMenu } = useContext(ShellPartsContext);
  const [isOpened, setOpened] = useState(false);
  const button = (more: object) => (
    <Button variant="subtle" color="gray" c="var(--mantine-color-text)" {...more}>
      <Text size="sm" truncate maw={160}>
        {props.caller?.name ?? '…'}
      </Text>
    </Button>
  );
  const closed = button({ onClick: () => setOpened(true), 'aria-haspopup': 'menu' });
  return isOpened ? (
    <Suspense fallback={closed}>
      <UserMenu {...props} button={button} />
    </Suspense>
  ) : (
    closed
  );
}

/** Looks like the input that it opens. */
function SearchButton({ onClick }: { readonly onClick: () => void }) {
  const texts = useTexts(SHELL_TEXTS);
  return (
    <Button
      variant="default"
      className="search-all"
      justify="start"
      fw={400}
      c="dimmed"
      aria-label={texts.searchAll}
      aria-keyshortcuts="/"
      leftSection={<Icon name="search" />}
      onClick={onClick}
    >
      {texts.search}
    </Button>
  );
}

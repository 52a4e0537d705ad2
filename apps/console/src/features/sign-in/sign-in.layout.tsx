import { Box } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { createContext, useContext, useEffect, useState } from 'react';
import { createQueryClient } from '../../session/query-client.js';
import { isHandedOver, START, takePageAddress } from './page-address.js';

const PageAddressContext = createContext(START);

/** What the address has handed over. */
export const usePageAddress = () => useContext(PageAddressContext);

/** Around pages that stand by themselves. What was handed over in the address is with them, and nowhere else. */
export default function SignInLayout() {
  const [queries] = useState(createQueryClient);
  const [{ address, visit }, setVisit] = useState({ address: START, visit: 0 });
  // A link of another mail that is opened in the same tab changes nothing of the address but what is behind `#`.
  useEffect(() => {
    const onHashChange = (): void => {
      const next = takePageAddress(window);
      if (isHandedOver(next)) setVisit((previous) => ({ address: next, visit: previous.visit + 1 }));
    };
    addEventListener('hashchange', onHashChange);
    return () => removeEventListener('hashchange', onHashChange);
  }, []);
  return (
    <QueryClientProvider client={queries}>
      <PageAddressContext value={address}>
        <Box component="main" className="alone" key={visit}>
          <Outlet />
        </Box>
      </PageAddressContext>
    </QueryClientProvider>
  );
}

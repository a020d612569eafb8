/** Says when there is no connection, and what to do; nothing while there is one. */
import { useEffect, useState } from 'react';
import { useAdmin, useLink } from './admin-context.ts';
import { rememberToken } from './token.ts';

export function LinkBanner() {
  const link = useLink();
  switch (link.state) {
    case 'open':
      return null;
    case 'connecting':
      return <Banner>Connecting to the server…</Banner>;
    case 'lost':
      return <Lost retryAt={link.retryAt} wasOpen={link.wasOpen} />;
    case 'refused':
      return <AskToken hasToken={link.hasToken} />;
    case 'foreign':
      return (
        <Banner>
          The server does not let pages at {location.origin} in. Open it at its own address, or
          serve it with this origin allowed.
        </Banner>
      );
    default:
      link satisfies never;
      return null;
  }
}

function Banner({ children }: { readonly children: React.ReactNode }) {
  return (
    <div className="banner" role="status">
      {children}
    </div>
  );
}

function Lost({ retryAt, wasOpen }: { readonly retryAt: number; readonly wasOpen: boolean }) {
  const admin = useAdmin();
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.ceil(Math.max(0, retryAt - now) / 1000);
  return (
    <Banner>
      {wasOpen
        ? 'The connection was lost; what you see is how things stood.'
        : 'No server answers here. Start one with: npm run serve.'}{' '}
      {seconds > 0 ? `Trying again in ${seconds} s.` : 'Trying again…'}{' '}
      <button type="button" onClick={() => admin.connect()}>
        Try now
      </button>
    </Banner>
  );
}

function AskToken({ hasToken }: { readonly hasToken: boolean }) {
  const admin = useAdmin();
  const [token, setToken] = useState('');
  return (
    <form
      className="banner"
      onSubmit={(event) => {
        event.preventDefault();
        rememberToken(token);
        admin.connect(token);
      }}
    >
      <label htmlFor="token">
        {hasToken
          ? 'The server does not know that admin token. Give the one it was started with (--admin-token):'
          : 'This server shows itself to admins: from its own machine, or with its admin token (--admin-token):'}
      </label>
      <input
        id="token"
        type="password"
        autoComplete="off"
        value={token}
        onChange={(event) => setToken(event.target.value)}
      />
      <button type="submit" disabled={token === ''}>
        Connect
      </button>
    </form>
  );
}

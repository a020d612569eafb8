/** The inspector page: a world as it runs, shown and commanded through `/admin`. */
import './style.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Admin } from './admin.ts';
import { AdminContext } from './admin-context.ts';
import { App } from './app.tsx';
import { addressOfAdmin, rememberedToken } from './token.ts';

const admin = new Admin({ url: addressOfAdmin(), token: rememberedToken() });
admin.connect();

const root = document.getElementById('page');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <AdminContext value={admin}>
        <App />
      </AdminContext>
    </StrictMode>,
  );
}

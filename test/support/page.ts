/** The inspector page in a real browser, for tests. */
import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { MapView } from '../../inspector/page/src/world-map/map-view.ts';

declare global {
  interface Window {
    /** What the page shows on its map. */
    offstageMap?: MapView;
  }
}

export interface OpenPage {
  readonly tab: Page;
  /** What went wrong in the page; empty at the end of a good test. */
  readonly problems: string[];
  /** Selects a record by the search. */
  find(id: string): Promise<Locator>;
}

export async function openPage(
  browser: Browser,
  url: string,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<OpenPage> {
  const tab = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    // The browser of the tests has no language of its own.
    locale: 'en-US',
    ...options,
  });
  const problems: string[] = [];
  tab.on('pageerror', (error) => problems.push(error.message));
  tab.on('console', (message) => {
    // A server that is away is told by the page itself.
    const isAway = /ERR_CONNECTION_REFUSED|WebSocket connection|status of 4(0[13]|26)/.test(
      message.text(),
    );
    if (message.type() === 'error' && !isAway) problems.push(message.text());
  });
  // Shorter than a test may take, so that what was waited for is named.
  tab.setDefaultTimeout(60_000);
  await tab.goto(url);
  return {
    tab,
    problems,
    find: async (id) => {
      await tab.getByRole('combobox', { name: /Find records/ }).fill(id);
      await tab.getByRole('option').getByText(id, { exact: true }).first().click();
      const panel = tab.getByRole('complementary', { name: `Record ${id}`, exact: true });
      await panel.getByText('Waits for').waitFor();
      return panel;
    },
  };
}

/** Resolves when a text on the page is as it should be. */
export async function shows(of: Locator, text: string | RegExp): Promise<void> {
  await of.filter({ hasText: text }).first().waitFor();
  expect(await of.filter({ hasText: text }).count()).toBeGreaterThan(0);
}

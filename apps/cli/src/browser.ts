import { spawn } from 'node:child_process';

/** The program that opens an address in the user's browser, by platform. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
};

/** Opens an address in the browser of who sits at the terminal. Answers false where there is none, or no desktop. */
export function openBrowser(address: string, environment: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME } = environment;
  const hasDesktop = process.platform === 'darwin' || process.platform === 'win32' || DISPLAY || WAYLAND_DISPLAY;
  if (!BROWSER && !hasDesktop && !WSL_DISTRO_NAME) return Promise.resolve(false);
  const [command, ...args] = BROWSER ? [BROWSER] : (openers[process.platform] ?? ['xdg-open']);
  return new Promise((resolve) => {
    // It outlives this command, which does not wait for the browser to be closed.
    const started = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
    started.once('error', () => resolve(false));
    started.once('spawn', () => {
      started.unref();
      resolve(true);
    });
  });
}

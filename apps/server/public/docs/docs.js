import { signed } from './sign.js';

const dark = matchMedia('(prefers-color-scheme: dark)');
const show = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', show);
show();

const api = new URLSearchParams(location.search).get('api') === 'push' ? 'push' : 'channels';
document.querySelector(`nav a[href$="api=${api}"]`).setAttribute('aria-current', 'page');

const described = await (await fetch(`/docs/${api}.json`)).json();

const ui = globalThis.SwaggerUIBundle({
  dom_id: '#api',
  spec: api === 'channels' ? signedHere(described) : described,
  deepLinking: true,
  defaultModelRendering: 'example',
  requestInterceptor: (request) => signed(request),
  // Swagger UI would ask a service on the internet.
  validatorUrl: null,
  onComplete() {
    // This page exists only while the development app is served, whose secret is public.
    if (api === 'channels') ui.preauthorizeBasic('app', 'app-key', 'app-secret');
  },
});

/** The page signs: it asks for the app's credentials instead of the parts of a signature. */
function signedHere(document) {
  const description =
    'The key of the app as username, its secret as password. This page signs each request with them; the secret stays in it.';
  const operations = Object.values(document.paths).flatMap((verbs) => Object.values(verbs));
  for (const operation of operations) {
    // A few are not signed.
    if (!operation.security?.some((schemes) => 'auth_signature' in schemes)) continue;
    operation.security = [{ app: [] }];
    operation.parameters = operation.parameters?.filter(({ name }) => name !== 'body_md5');
  }
  const parts = ['auth_key', 'auth_timestamp', 'auth_version', 'auth_signature'];
  const others = Object.entries(document.components.securitySchemes).filter(([name]) => !parts.includes(name));
  const app = { type: 'http', scheme: 'basic', description };
  document.components.securitySchemes = { app, ...Object.fromEntries(others) };
  return document;
}

import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/lists.css';
import './styles/pages.css';
import { render } from 'preact';
import { loadSession } from './api/session.js';
import { Console } from './console.js';
import { listenToKeys } from './shell/keys.js';
import { followTheme } from './shell/theme.js';

followTheme();
listenToKeys();
void loadSession();
render(<Console />, document.getElementById('console')!);

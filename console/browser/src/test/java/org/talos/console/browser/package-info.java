// SPDX-License-Identifier: Apache-2.0
/** The console in a real browser, at a real server. {@link org.talos.console.browser.ConsoleTest} is where to begin. */
package org.talos.console.browser;

// SPDX-License-Identifier: Apache-2.0
/**
 * Makes the documentation a site: each page of Markdown becomes one of HTML, with the list of all pages beside it, and
 * what search looks into becomes one file. Runs in the build alone. Entry type: {@link org.talos.site.Main}.
 */
@NullMarked
package org.talos.site;

import org.jspecify.annotations.NullMarked;

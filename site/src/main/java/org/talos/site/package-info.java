// SPDX-License-Identifier: Apache-2.0
/**
 * Builds the documentation site: each page of Markdown becomes one of HTML, with the list of all pages beside it, and
 * the search index becomes one file. Runs only in the build. Entry type: {@link org.talos.site.Main}.
 *
 * <p>A library (commonmark-java) handles Markdown. MkDocs, mdBook, Docusaurus, and VitePress need Python, Rust, or
 * Node, and their pages have inline scripts, which the server's policy refuses. JBake and Maven's site plugin have no
 * search and do not check links. Pages in several versions or languages would be a reason to use one of them.
 */
@NullMarked
package org.talos.site;

import org.jspecify.annotations.NullMarked;

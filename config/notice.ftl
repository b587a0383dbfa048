<#-- NOTICE of an archive: a line for each thing of others in it, by name. -->
<#assign lines = []>
<#list dependencyMap as entry>
  <#assign project = entry.getKey()>
  <#-- On no class path but that of the client's commands, which has no project of its own (launcher/pom.xml). -->
  <#if project.artifactId == "picocli">
    <#list dependencyMap as api>
      <#if api.getKey().artifactId == "slf4j-api">
        <#assign lines = lines + ["org.slf4j:slf4j-simple:" + api.getKey().version + " (" + api.getValue()?join(", ") + ") " + api.getKey().url]>
      </#if>
    </#list>
  </#if>
  <#assign lines = lines + [project.groupId + ":" + project.artifactId + ":" + project.version + " (" + entry.getValue()?join(", ") + ")" + (project.url?has_content)?then(" " + project.url, "")]>
</#list>
Talos
Copyright the authors of Talos

Licensed under the Apache License, Version 2.0: see the file LICENSE.

This archive contains the following works of others, under the licences in brackets, which their authors name. Their own
notices are in META-INF of their jars.

<#list lines?sort as line>
${line}
</#list>

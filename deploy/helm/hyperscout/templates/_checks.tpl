{{- /* What cannot be installed ends here, in a sentence: what is wrong, and what to do. */ -}}
{{- define "hyperscout.checks" -}}
{{- include "hyperscout.checkCluster" . -}}
{{- include "hyperscout.checkImage" . -}}
{{- include "hyperscout.checkLeases" . -}}
{{- include "hyperscout.checkTiers" . -}}
{{- include "hyperscout.checkAddresses" . -}}
{{- include "hyperscout.checkSettings" . -}}
{{- include "hyperscout.checkSweepers" . -}}
{{- include "hyperscout.checkSchedulerNames" . -}}
{{- if and .Values.uninstall.purge (not .Values.uninstall.hook) -}}
{{- fail "uninstall.purge is set but uninstall.hook is not, so nobody would purge: set both, or run `hyperscout uninstall --purge`" -}}
{{- end -}}
{{- end -}}

{{- /* Whether there is a cluster to look at: `helm template` has none. */ -}}
{{- define "hyperscout.sees" -}}
{{- if lookup "v1" "Namespace" "" "kube-system" }}yes{{ end -}}
{{- end -}}

{{- define "hyperscout.checkCluster" -}}
{{- $version := .Capabilities.KubeVersion.Version -}}
{{- if semverCompare "<1.30.0-0" $version -}}
{{- fail (printf "the cluster is Kubernetes %s; hyperscout needs 1.30 or newer: upgrade the cluster" $version) -}}
{{- end -}}
{{- if include "hyperscout.sees" . -}}
{{- $missing := list -}}
{{- range list "hypernodes.topology.volcano.sh" "podgroups.scheduling.volcano.sh" "nodereports.hyperscout.io" "switchreports.hyperscout.io" "sweepreports.hyperscout.io" -}}
{{- if not (lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" .) }}{{ $missing = append $missing . }}{{ end -}}
{{- end -}}
{{- with $missing -}}
{{- fail (printf "the cluster does not know %s: install the chart hyperscout-crds first (helm install hyperscout-crds deploy/helm/hyperscout-crds)" (join ", " .)) -}}
{{- end -}}
{{- if and .Values.monitors.enabled (not (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")) -}}
{{- fail "monitors.enabled is set, but the cluster does not know ServiceMonitors: install the Prometheus Operator first, or leave monitors.enabled false" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "hyperscout.checkImage" -}}
{{- $word := "[a-z0-9]+([._-]+[a-z0-9]+)*" -}}
{{- $forms := dict "registry" (printf "^(%s(:[0-9]+)?(/%s)*/?)?$" $word $word) "repository" (printf "^%s(/%s)*$" $word $word) -}}
{{- range $part, $form := $forms -}}
{{- $name := get $.Values.image $part | default "" -}}
{{- if not (regexMatch $form $name) -}}
{{- fail (printf "image.%s is %s, and no image can be named so: give the one that you pushed the image to, in small letters" $part $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "hyperscout.checkLeases" -}}
{{- $settings := dict "controller" .Values.controller.settings "scheduler" .Values.scheduler.settings "sweeper" .Values.sweeper.settings -}}
{{- range .Values.sweepers }}{{ $_ := set $settings (printf "sweeper %s" .name) (mergeOverwrite (deepCopy $.Values.sweeper.settings) (.settings | default dict)) }}{{ end -}}
{{- range $who, $given := $settings -}}
{{- $times := mergeOverwrite (dict "retryPeriod" 2 "renewDeadline" 10 "duration" 15) (deepCopy (get $given "lease" | default dict)) -}}
{{- if not (and (lt (float64 $times.retryPeriod) (float64 $times.renewDeadline)) (lt (float64 $times.renewDeadline) (float64 $times.duration))) -}}
{{- fail (printf "the lease of the %s has retryPeriod %v, renewDeadline %v and duration %v: each must be longer than the one before" $who $times.retryPeriod $times.renewDeadline $times.duration) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "hyperscout.checkTiers" -}}
{{- $tiers := dig "tree" "tiers" dict .Values.controller.settings -}}
{{- $names := list "nvlink" "leaf" "spine" "core" -}}
{{- range untilStep 2 31 1 }}{{ $names = append $names (printf "core%d" .) }}{{ end -}}
{{- $below := 0 -}}
{{- range $name := $names -}}
{{- with get $tiers $name -}}
{{- if not (gt (int .) $below) -}}
{{- fail (printf "controller.settings.tree.tiers.%s is %v, and the tier below it has %d: numbers rise from nvlink and leaf to core" $name . $below) -}}
{{- end -}}
{{- $below = int . -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* A pod does not know its own address beforehand, so it listens on every one. */ -}}
{{- define "hyperscout.checkAddresses" -}}
{{- range $who, $given := include "hyperscout.allSettings" . | fromYaml -}}
{{- $agent := eq $who "agent" -}}
{{- $listen := dig "http" "listen" "" $given -}}
{{- $form := $agent | ternary "^127\\.0\\.0\\.1:[1-9][0-9]*$" "^(0\\.0\\.0\\.0|\\[::\\])?:[1-9][0-9]*$" -}}
{{- $fits := and (regexMatch $form $listen) (le (include "hyperscout.port" $listen | atoi) 65535) -}}
{{- if and $listen $agent (not $fits) -}}
{{- fail (printf "the agent is to listen on %s, but it shares its node's network: set agent.settings.http.listen to 127.0.0.1:PORT" $listen) -}}
{{- end -}}
{{- if and $listen (not $fits) -}}
{{- fail (printf "the %s is to listen on %s, where no kubelet can ask for its health: set http.listen in its settings to :PORT, such as :8461" $who $listen) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The settings as values give them, by process. */ -}}
{{- define "hyperscout.allSettings" -}}
{{- range $who := list "controller" "scheduler" "agent" "sweeper" }}
{{ $who }}: {{ get $.Values $who | dig "settings" dict | toJson }}
{{- end }}
{{- range .Values.sweepers }}
{{ printf "sweeper %s" .name }}: {{ .settings | default dict | toJson }}
{{- end }}
{{- end -}}

{{- /* A pod has the files that the values beside its settings bring, its account and its namespace, and no others. */ -}}
{{- define "hyperscout.checkSettings" -}}
{{- range $who, $given := include "hyperscout.allSettings" . | fromYaml -}}
{{- with coalesce (dig "http" "tlsCertificate" "" $given) (dig "http" "tlsKey" "" $given) -}}
{{- fail (printf "the settings of the %s name %s for HTTPS, a file that its pod does not have: name a Secret in tls.systemSecret or tls.nodeSecret instead" $who .) -}}
{{- end -}}
{{- with dig "cluster" "kubeconfig" "" $given -}}
{{- fail (printf "the settings of the %s name the kubeconfig %s, a file that its pod does not have: leave cluster.kubeconfig out, it asks its own cluster with its own account" $who .) -}}
{{- end -}}
{{- with dig "cluster" "namespace" "" $given -}}
{{- fail (printf "the settings of the %s name the namespace %s, where its account may nothing: leave cluster.namespace out, it uses that of its pod" $who .) -}}
{{- end -}}
{{- with dig "sweep" "nodeNameMap" "" $given -}}
{{- fail (printf "the settings of the %s name the node name map %s, a file that its pod does not have: give the map in nodeNameMap of the sweeper's entry in `sweepers`" $who .) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "hyperscout.checkSweepers" -}}
{{- $names := list -}}
{{- range .Values.sweepers -}}
{{- if has .name $names -}}
{{- fail (printf "two sweepers are called %s: give each fabric's sweeper a name of its own, for the label hyperscout.io/sweeper tells whose a report is" .name) -}}
{{- end -}}
{{- $names = append $names .name -}}
{{- with dig "settings" "sweep" "name" "" . -}}
{{- fail (printf "sweep.name %s stands in the settings of a sweeper: its name in the list `sweepers` is the one that counts" .) -}}
{{- end -}}
{{- $settings := mergeOverwrite (deepCopy $.Values.sweeper.settings) (deepCopy (.settings | default dict)) -}}
{{- $ethernet := eq (dig "sweep" "kind" "infiniband" $settings) "ethernet" -}}
{{- if and .snmpSecret (not $ethernet) -}}
{{- fail (printf "the sweeper %s has the Secret %s to ask switches with, and sweeps InfiniBand, where nobody asks for it: set sweep.kind to ethernet in its settings, and name the switches in snmp.targets" .name .snmpSecret) -}}
{{- end -}}
{{- if and $ethernet (not .snmpSecret) -}}
{{- fail (printf "the sweeper %s is to ask switches by SNMP and has nothing to ask them with: make a Secret in hyperscout-node (files community, or user, auth-password and priv-password) and name it in its snmpSecret" .name) -}}
{{- end -}}
{{- include "hyperscout.checkNodeNames" (list . $ethernet) -}}
{{- $targets := dig "snmp" "targets" list $settings -}}
{{- if and $ethernet (not $targets) -}}
{{- fail (printf "the sweeper %s is to ask switches by SNMP and is told none: name their addresses, networks or DNS names in settings.snmp.targets, such as [10.0.0.0/24]" .name) -}}
{{- end -}}
{{- if and $targets (not $ethernet) -}}
{{- fail (printf "the sweeper %s is told switches in snmp.targets, and sweeps InfiniBand, where nobody asks them: set sweep.kind to ethernet in its settings, or leave snmp.targets out" .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "hyperscout.checkSchedulerNames" -}}
{{- $names := dig "scheduling" "schedulerNames" list .Values.scheduler.settings -}}
{{- if and .Values.scheduler.enabled (has "default-scheduler" $names) -}}
{{- fail "scheduler.settings.scheduling.schedulerNames has default-scheduler, whose pods kube-scheduler binds: name the pods' scheduler hyperscout, and leave default-scheduler out" -}}
{{- end -}}
{{- if and .Values.scheduler.enabled (has "volcano" $names) (lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "queues.scheduling.volcano.sh") -}}
{{- fail "scheduler.settings.scheduling.schedulerNames has volcano, whose pods the Volcano of this cluster binds: leave volcano out, or set scheduler.enabled to false" -}}
{{- end -}}
{{- end -}}

{{- define "latchkey.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 58 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 58 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "latchkey.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "latchkey.labels" -}}
{{ include "latchkey.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "latchkey.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "latchkey.fullname" .) -}}
{{- end -}}

{{- define "latchkey.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- /* Variables from the values, references to secrets, and the chart's own variables. */ -}}
{{- define "latchkey.env" -}}
- name: HOST
  value: 0.0.0.0
- name: SERVICES_PORT
  value: "3080"
{{- if .Values.metricsPort }}
- name: METRICS_PORT
  value: {{ int .Values.metricsPort | quote }}
{{- end }}
{{- if .Values.forwardAuth.routes }}
- name: FORWARD_AUTH_ROUTES
  value: /etc/latchkey/forward-auth/routes.json
{{- end }}
{{- with .Values.forwardAuth.edgePort }}
- name: EDGE_PORT
  value: {{ int . | quote }}
{{- end }}
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name, $secret := .Values.secrets }}
{{- if $secret.existingSecret }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $secret.existingSecret }}
      key: {{ $secret.key | default $name }}
{{- end }}
{{- end }}
{{- if .Values.grpcTls.existingSecret }}
- name: GRPC_TLS_CERT
  value: /etc/latchkey/grpc-tls/tls.crt
- name: GRPC_TLS_KEY
  value: /etc/latchkey/grpc-tls/tls.key
{{- if .Values.grpcTls.clientRoles }}
- name: GRPC_TLS_CLIENT_CA
  value: /etc/latchkey/grpc-tls/ca.crt
- name: GRPC_TLS_CLIENT_ROLES
  value: {{ join "," .Values.grpcTls.clientRoles | quote }}
{{- end }}
{{- end }}
{{- end -}}
